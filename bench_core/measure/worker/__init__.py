"""The only TensorFlow: started with `python -m bench_core.measure.worker`, imported by nobody.

Runs in its own interpreter, also that of another virtual environment, under TensorFlow 2.12 to the newest. Beside
TensorFlow and numpy it needs the standard library and the nouns of bench_core.model that need no more.
"""
