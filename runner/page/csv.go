package page

import (
	"encoding/csv"
	"io"
	"iter"
)

// CSV writes a head and rows, whose numbers the caller has written with Exact.
func CSV(w io.Writer, head []string, rows iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	out.Write(head) // errors are those of out.Error
	for row := range rows {
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
