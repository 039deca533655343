"""`grade watch`: the desk that grades on each save, the keys, and the file system's notices."""
