package foreign

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"drolab/runner/disk"
	"drolab/runner/measure"
)

// gathered is a point as it is kept: the names are in a list.
type gathered struct {
	step  int64
	place int64 // among all points, in the order of the log
	value float64
	epoch float64
	// elapsed is NaN where it is not known.
	elapsed float64
	name    int32
	group   int32
}

const gatheredSize = 48

// memoryPoints is the number of points that are kept in memory; more are sorted on the disk.
const memoryPoints = 1 << 20

// gather keeps all points of a log and gives them back sorted by step, those of one step in the
// order of the log.
type gather struct {
	most   int
	points []gathered
	spills []*os.File
	count  int64

	names  []string
	places map[string]int32
	stats  []nameStats
	purges []purge

	first    string // the first point, as text: the least step and name
	firstAt  Point
	furthest int64
	elapsed  measure.Number // the greatest
}

// nameStats is what is known of a name.
type nameStats struct {
	n           int64
	least, most float64
	last        float64
	lists       bool // it has a number for each group
}

// purge says that earlier points from a step on do not count.
type purge struct {
	place, from int64
	names       map[int32]bool // nil: of all names
}

const mostPurges = 10_000

func newGather() *gather { return &gather{most: memoryPoints, places: map[string]int32{}} }

// place returns the place of a name in the list.
func (g *gather) place(name string) int32 {
	if i, ok := g.places[name]; ok {
		return i
	}
	i := int32(len(g.names))
	g.names, g.places[name] = append(g.names, name), i
	g.stats = append(g.stats, nameStats{least: math.Inf(1), most: math.Inf(-1)})
	return i
}

// take keeps a point.
func (g *gather) take(p Point) error {
	i := g.place(p.Name)
	s := &g.stats[i]
	s.n++
	s.last, s.lists = p.Value, s.lists || p.Group >= 0
	if !math.IsNaN(p.Value) {
		s.least, s.most = min(s.least, p.Value), max(s.most, p.Value)
	}
	if at := &g.firstAt; g.count == 0 || p.Step < at.Step || p.Step == at.Step && p.Name < at.Name {
		g.firstAt = p
		g.first = fmt.Sprintf("%d %s %v", p.Step, p.Name, p.Value)
	}
	g.furthest, g.elapsed = max(g.furthest, p.Step), later(g.elapsed, p.Elapsed)
	if n := len(g.points); n == cap(g.points) && n >= g.most/8 { // it is many: grow once
		g.points = slices.Grow(g.points, g.most-n)
	}
	g.points = append(g.points, gathered{p.Step, g.count, p.Value, p.Epoch,
		p.Elapsed.Float(), i, int32(p.Group)})
	g.count++
	if len(g.points) < g.most {
		return nil
	}
	return g.spill()
}

// purge keeps that earlier points from a step on do not count.
func (g *gather) purge(from int64, names []string) error {
	p := purge{place: g.count, from: from}
	if names != nil {
		p.names = map[int32]bool{}
		for _, name := range names {
			p.names[g.place(clean(name, mostName))] = true
		}
	}
	if g.count == 0 {
		return nil
	}
	if len(g.purges) == mostPurges {
		return errors.New("the log goes back to earlier steps too often: it is no log of one run")
	}
	g.purges = append(g.purges, p)
	return nil
}

func (g *gather) gone(p *gathered) bool {
	for i := range g.purges {
		u := &g.purges[i]
		if p.place < u.place && p.step >= u.from && (u.names == nil || u.names[p.name]) {
			return true
		}
	}
	return false
}

func before(a, b gathered) int {
	return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.place, b.place))
}

// spill writes the points in memory to the disk, sorted.
func (g *gather) spill() error {
	err := g.write()
	if err != nil {
		dir := os.TempDir()
		return fmt.Errorf("sorting its numbers (TMPDIR names another folder): %w",
			disk.Whole(err, dir))
	}
	return nil
}

func (g *gather) write() error {
	slices.SortFunc(g.points, before)
	f, err := os.CreateTemp("", "drolab-import-")
	if err != nil {
		return err
	}
	g.spills = append(g.spills, f)
	w := bufio.NewWriterSize(f, 1<<20)
	var b [gatheredSize]byte
	for i := range g.points {
		p := &g.points[i]
		le := binary.LittleEndian
		le.PutUint64(b[0:], uint64(p.step))
		le.PutUint64(b[8:], uint64(p.place))
		le.PutUint64(b[16:], math.Float64bits(p.value))
		le.PutUint64(b[24:], math.Float64bits(p.epoch))
		le.PutUint64(b[32:], math.Float64bits(p.elapsed))
		le.PutUint32(b[40:], uint32(p.name))
		le.PutUint32(b[44:], uint32(p.group))
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	g.points = g.points[:0]
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// close removes what is on the disk.
func (g *gather) close() {
	for _, f := range g.spills {
		f.Close()
		os.Remove(f.Name())
	}
	g.spills = nil
}

// stream is sorted points, of which the first is at hand.
type stream struct {
	first gathered
	next  func() (gathered, error)
}

type streams []*stream

func (s streams) Len() int           { return len(s) }
func (s streams) Less(i, j int) bool { return before(s[i].first, s[j].first) < 0 }
func (s streams) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *streams) Push(x any)        { *s = append(*s, x.(*stream)) }
func (s *streams) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}

// reading returns the points of a file one after the other.
func reading(f *os.File) func() (gathered, error) {
	r := bufio.NewReaderSize(f, 1<<18)
	var b [gatheredSize]byte
	return func() (p gathered, err error) {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return p, err
		}
		le := binary.LittleEndian
		return gathered{int64(le.Uint64(b[0:])), int64(le.Uint64(b[8:])),
			math.Float64frombits(le.Uint64(b[16:])), math.Float64frombits(le.Uint64(b[24:])),
			math.Float64frombits(le.Uint64(b[32:])),
			int32(le.Uint32(b[40:])), int32(le.Uint32(b[44:]))}, nil
	}
}

// each passes the points that count to f, sorted by step. It is called once.
func (g *gather) each(f func(Point) error) error {
	slices.SortFunc(g.points, before)
	i := 0
	all := streams{{next: func() (p gathered, err error) {
		if i == len(g.points) {
			return p, io.EOF
		}
		i++
		return g.points[i-1], nil
	}}}
	for _, file := range g.spills {
		all = append(all, &stream{next: reading(file)})
	}
	var filled streams
	for _, s := range all {
		var err error
		if s.first, err = s.next(); err == nil {
			filled = append(filled, s)
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
	heap.Init(&filled)
	for len(filled) > 0 {
		s := filled[0]
		if p := s.first; !g.gone(&p) {
			err := f(Point{p.step, p.epoch, g.names[p.name], int(p.group), p.value,
				measure.NumUnlessNaN(p.elapsed)})
			if err != nil {
				return err
			}
		}
		var err error
		switch s.first, err = s.next(); {
		case errors.Is(err, io.EOF):
			heap.Pop(&filled)
		case err != nil:
			return err
		default:
			heap.Fix(&filled, 0)
		}
	}
	return nil
}
