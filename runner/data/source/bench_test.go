package source

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"drolab/runner/data"
)

// BenchmarkTableMemory reports the memory that a table takes per number while it is opened: the
// heap that the process has from the system at the end, with the collector's setting in the reading
// process. It measures the process's first table, so run it alone, with -benchtime 1x.
func BenchmarkTableMemory(b *testing.B) {
	const rows, columns = 400_000, 15
	text := []byte("label")
	for k := range columns {
		text = fmt.Appendf(text, ",x%d", k)
	}
	for i := range rows {
		text = strconv.AppendInt(append(text, '\n'), int64(i%2), 10)
		for k := range columns {
			v := math.Sin(float64(i*columns + k))
			text = strconv.AppendFloat(append(text, ','), v, 'f', 4, 64)
		}
	}
	path := filepath.Join(b.TempDir(), "table.csv")
	if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
		b.Fatal(err)
	}
	text = nil
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	for b.Loop() {
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := Open("csv:"+path+"?label=label", data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		taken := int64(after.HeapSys-after.HeapReleased) - int64(before.HeapSys-before.HeapReleased)
		b.ReportMetric(float64(taken)/(rows*columns), "B/number")
		d.Close()
	}
}
