-- A shop. Whoever changes an order writes what happened into the outbox, in the same transaction.
CREATE TABLE orders (orderno INTEGER PRIMARY KEY, customer TEXT NOT NULL, amount NUMERIC NOT NULL, state TEXT NOT NULL);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  topic TEXT NOT NULL,
  orderno INTEGER NOT NULL,
  customer TEXT,
  amount NUMERIC
);
CREATE TABLE refunds (orderno INTEGER PRIMARY KEY, amount NUMERIC NOT NULL);
