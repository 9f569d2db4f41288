package export

import (
	"io"

	"drolab/runner/page"
)

func csvFormat() Format {
	return Format{Name: "csv", Doc: "comma-separated values with a header line",
		Write: func(w io.Writer, s *Sheet) error { return page.CSV(w, s.Head, s.Rows) }}
}
