"""The papers' examples, live on Spark: auction, warehouse and power outage, with what is released and what is kept."""
