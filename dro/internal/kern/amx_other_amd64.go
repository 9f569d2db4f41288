//go:build !linux && !purego

package kern

// tilesPermitted is for systems whose way to permit tiles is not known here.
func tilesPermitted() bool { return false }
