SMALL = None
