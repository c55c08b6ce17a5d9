"""What ends a case in the worker without being a fault: the message is the outcome's reason."""


class UnsupportedError(Exception):
    """What was asked for does not exist on this device, in this TensorFlow, or for this shape."""
