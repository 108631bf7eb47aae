"""Whether two images show the same photograph: laying one over the other and looking closely."""
