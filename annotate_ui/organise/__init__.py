"""What organisers see and set: the board, people, the queue's plan, guidelines, disputes."""
