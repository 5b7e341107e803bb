"""The papers' examples, live: auction, warehouse and power outage, slice by slice through the specification."""
