package export

import (
	"encoding/csv"
	"io"
)

func csvFormat() Format {
	return Format{Name: "csv", Doc: "comma-separated values, a line of heads first", Write: writeCSV}
}

func writeCSV(w io.Writer, s *Sheet) error {
	out := csv.NewWriter(w)
	out.Write(s.Head) // errors are those of out.Error
	for row := range s.Rows {
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
