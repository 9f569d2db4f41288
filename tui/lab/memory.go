package lab

import (
	"runtime/debug"
	"runtime/metrics"
)

// freeFrom is the size of the heap in bytes from which FreeMemory gives memory back. A collection
// stops every page for a moment, and takes more time than a few megabytes are worth.
const freeFrom = 32 << 20

// FreeMemory gives back the memory that is no longer used, after work that may have taken much.
// Otherwise nothing would collect it before as much is allocated again. It takes longer than a key
// should wait for its frame: it belongs in a command.
func FreeMemory() {
	heap := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, // collected, and not yet given back
	}
	metrics.Read(heap)
	size := uint64(0)
	for _, part := range heap {
		size += part.Value.Uint64()
	}
	if size >= freeFrom {
		debug.FreeOSMemory()
	}
}
