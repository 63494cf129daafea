'use strict';

// graphql-js 17: a query for a long list.

const graphql = require('graphql-17');
const { pieces } = require('./variant.js');
const { serveQuery } = require('./graphql.js');

serveQuery(graphql, pieces);
