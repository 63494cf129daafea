// globals.cjs as an ES module.

import './globals.cjs';
