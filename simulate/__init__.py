"""A stand-in Flickr server and simulated people, for the demo, the tests and the benchmarks."""
