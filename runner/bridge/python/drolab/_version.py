"""The version of this package. .github/packages/client writes that of a wheel."""

__version__ = "0+source"
