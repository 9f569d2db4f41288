package kit

import (
	"drolab/runner/page"
	"drolab/tui/cell"
)

// InColumn lays a cell out in w cells, on the side of its column.
func InColumn(c *page.Column, text string, w int) string {
	if c.Words {
		return Left(text, w)
	}
	return Right(text, w)
}

// FitFields returns the fields that have room in w cells with a gap before each, and their widths.
// A column has the width that it says, or that of its widest cell. Those that can be spared most are
// left out first, all but a few; a wide column gives up some of its width instead, if that is enough.
func FitFields[R any](t *Theme, fields []page.Field[R], records []R, w, gap, few int,
) []page.Field[R] {
	const wide, narrow = 12, 8
	used := 0
	for k := range fields {
		f := &fields[k]
		if f.Width == 0 {
			f.Width = cell.Width(f.Head)
			for _, r := range records {
				f.Width = max(f.Width, min(f.Most, cell.Width(t.Greek(f.Cell(r)))))
			}
		}
		used += gap + f.Width
	}
	for used > w && len(fields) > few {
		worst := 0
		for k := range fields {
			if fields[k].Spare >= fields[worst].Spare {
				worst = k
			}
		}
		f := &fields[worst]
		if over := used - w; f.Most > wide && f.Width-over >= narrow {
			f.Width -= over
			break
		}
		used -= gap + f.Width
		fields = append(fields[:worst], fields[worst+1:]...)
	}
	return fields
}
