import { route } from '@react-router/dev/routes';

export default [
  route('report', 'routes/report.jsx'),
  route('orders.csv', 'routes/orders.js'),
  route('checkout', 'routes/checkout.js'),
];
