"""The nouns of cliffwatch: frozen values, checked when they are made.

Every module but `spec` needs the standard library and numpy only, so that the worker process can read a case
under an old TensorFlow and `cliffwatch diagnose` starts fast.
"""
