// Package pythontest tests the client for Python against docs/protocol.md: its tests speak to
// programs of runner/bridge/python as drolab does. Their Python is a peer of dro/peertest.
package pythontest
