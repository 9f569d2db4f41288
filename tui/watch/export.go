package watch

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// sheet is what a panel shows, as a table: one observation a row.
type sheet struct {
	name string
	head []string
	// curves, or else rows that are made already: a long curve is written by
	// the command that writes the file, from copies.
	curves []exported
	rows   [][]string
}

// exported is a copy of what is kept of a quantity of a run.
type exported struct {
	who        []string // run, method, seed
	quantity   string
	smoothing  string
	epochSteps float64
	buckets    []plot.Bucket
}

// who is what each row says of a run.
func (t *track) who() []string {
	return []string{t.id, string(t.meta.Spec.Algorithm()), strconv.FormatUint(t.meta.Spec.Seed, 10)}
}

// sheet is what the focused panel shows.
func (w *Page) sheet() sheet {
	v := w.shows(w.focus)
	if v.bars != "" {
		return w.barSheet(v.of())
	}
	s := sheet{head: []string{"run", "method", "seed", "quantity", "smoothing", "step", "epoch", "value",
		"least", "greatest", "points"}}
	for _, q := range v.measures() {
		for _, t := range w.tracks {
			if t.hidden {
				continue
			}
			c := exported{who: t.who(), quantity: q, epochSteps: float64(max(1, t.meta.StepsPerEpoch)),
				buckets: t.curves[q].raw.Buckets()}
			s.curves = append(s.curves, c)
			if smooth := t.curves[q].smooth; smooth != nil {
				c.smoothing, c.buckets = smoothings()[w.smooth].name, smooth.Buckets()
				s.curves = append(s.curves, c)
			}
		}
	}
	s.name = strings.Join(v.measures(), "-")
	return s
}

// barSheet is the figures by class of the run under the cursor, and of the one
// that it is compared with.
func (w *Page) barSheet(of lab.Measure) sheet {
	s := sheet{name: of.Name, head: []string{"run", "method", "seed", "step", "epoch", "class",
		"training_images", of.Title}}
	runs := []*track{w.run()}
	if r := w.compared(of); r != nil {
		runs = append(runs, r)
	}
	for _, t := range runs {
		for i, value := range t.classes(of) {
			count := ""
			if i < len(t.meta.TrainCounts) {
				count = strconv.Itoa(t.meta.TrainCounts[i])
			}
			s.rows = append(s.rows, append(t.who(), strconv.FormatInt(t.Eval.Step, 10), exact(t.Eval.Epoch),
				className(t.meta, i), count, exact(value.Float())))
		}
	}
	return s
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// row is one observation: a point or, of a long run, some points together.
func (c *exported) row(b *plot.Bucket) []string {
	value, least, greatest := "NaN", "NaN", "NaN"
	if b.N > 0 {
		value, least, greatest = exact(b.Mean), exact(b.Min), exact(b.Max)
	}
	return append(c.who[:len(c.who):len(c.who)], c.quantity, c.smoothing, exact(b.X1), exact(b.X1/c.epochSteps),
		value, least, greatest, strconv.FormatUint(uint64(b.N+b.Bad), 10))
}

// write writes the sheet as CSV to a new file in dir, and returns its path.
func (s *sheet) write(dir string, now time.Time) (path string, rows int, err error) {
	base := filepath.Join(dir, "export-"+s.name+"-"+now.Format("20060102-150405"))
	var f *os.File
	for i := 1; i < 100; i++ {
		path = base + ".csv"
		if i > 1 {
			path = fmt.Sprintf("%s-%d.csv", base, i)
		}
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", 0, err
	}
	out := csv.NewWriter(f)
	out.Write(s.head) // errors are those of out.Error
	for _, row := range s.rows {
		out.Write(row)
	}
	rows = len(s.rows)
	for i := range s.curves {
		for j := range s.curves[i].buckets {
			out.Write(s.curves[i].row(&s.curves[i].buckets[j]))
		}
		rows += len(s.curves[i].buckets)
	}
	out.Flush()
	if err := errors.Join(out.Error(), f.Close()); err != nil {
		os.Remove(path)
		return "", 0, fmt.Errorf("writing %s: %w", path, err)
	}
	return path, rows, nil
}

// export writes what the focused panel shows beside the runs, and says where.
func (w *Page) export() tea.Cmd {
	s, dir, cells := w.sheet(), w.Config.RunsDir, min(kit.FormWidth, w.Body.W-4)
	return func() tea.Msg {
		path, rows, err := s.write(dir, time.Now())
		if err != nil {
			return kit.Notice{Text: "export: " + cell.OneLine(err.Error()), Bad: true}
		}
		lines := append([]string{kit.Plural(rows, "row") + ", one observation each, in", ""},
			kit.Wrap(cell.Clean(path), cells)...)
		return kit.Open{Overlay: &kit.Overlay{Title: "Exported", Lines: lines}}
	}
}
