// A page with a component that is completed in the browser.

import { SharedList } from '../../shared-list.jsx';

export default function Page() {
  return <SharedList />;
}
