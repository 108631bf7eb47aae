"""What runs when a person works: queue, leases, revisions, reviews, blind tasks, training."""
