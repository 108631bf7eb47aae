"""A stand-in Flickr: the REST interface and the image host over a folder of photographs."""
