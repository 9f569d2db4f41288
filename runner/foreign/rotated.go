package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A program that rotates its log moves m.jsonl away as m.jsonl.1, what was m.jsonl.1 as m.jsonl.2,
// and so on, and begins a new m.jsonl. These files are one log if none is missing and the steps of
// each end where those of the next begin. Otherwise they may be logs of several runs: each is a log
// of its own then, with a note.

// part is a file that was rotated away from a log.
type part struct {
	name string
	info fs.FileInfo // when it was found
}

var errMoved = errors.New("the log was rotated while it was read: import it again")

// rotated returns the file that another one may have been rotated away from, and its number:
// m.jsonl and 2 for m.jsonl.2. The number is 0 for other names.
func rotated(name string) (of string, number int) {
	at := strings.LastIndexByte(name, '.')
	n, err := strconv.Atoi(name[at+1:])
	if at < 1 || err != nil || n < 1 || strconv.Itoa(n) != name[at+1:] {
		return "", 0
	}
	return name[:at], n
}

// partName returns the name of a file that was rotated away.
func partName(of string, number int) string { return fmt.Sprintf("%s.%d", of, number) }

// plainFile returns what the system says of a plain file, or nil.
func plainFile(path string) fs.FileInfo {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// join makes one log of a log and of the files that were rotated away from it. The error is that of
// ctx.
func join(ctx context.Context, found []Found) (list []Found, err error) {
	var all []*Found
	logs, parts := map[string]*Found{}, map[string]map[int]*Found{} // by path, parts by number
	for i := range found {
		f := &found[i]
		all = append(all, f)
		if !f.kind.rotates {
			continue
		}
		logs[f.Path] = f
		if of, n := rotated(f.Path); n > 0 {
			if parts[of] == nil {
				parts[of] = map[int]*Found{}
			}
			parts[of][n] = f
		}
	}
	for path, older := range parts {
		if logs[path] != nil {
			continue
		}
		if f := begunAnew(path, older); f != nil {
			all = append(all, f)
		}
	}
	joined := map[string]bool{} // paths of parts
	for _, f := range all {
		if !f.kind.rotates || joined[f.Path] {
			continue
		}
		older, err := f.join(ctx, parts[f.Path])
		if err != nil {
			return nil, err
		}
		for _, p := range older {
			joined[filepath.Join(f.dir, p.name)] = true
		}
	}
	for _, f := range all {
		if !joined[f.Path] {
			list = append(list, *f)
		}
	}
	return list, nil
}

// begunAnew returns the log of an empty file, whose lines are in older files. It returns nil if
// there is no such file, and a note for the older files if there is another.
func begunAnew(path string, older map[int]*Found) *Found {
	info := plainFile(path)
	if info == nil {
		return nil
	}
	if first := older[1]; info.Size() == 0 && first != nil && !first.alone {
		return &Found{kind: first.kind, Path: path, dir: first.dir, beside: first.beside,
			names: []string{filepath.Base(path)}}
	}
	for _, p := range older {
		p.note("it is not joined to %s, which %s", filepath.Base(path), p.unread())
	}
	return nil
}

// unread says why a file beside the log is not read.
func (f *Found) unread() string {
	if f.alone {
		return "was not named"
	}
	return "is no such log"
}

func (f *Found) note(format string, args ...any) {
	f.notes = append(f.notes, clean(fmt.Sprintf(format, args...), 4*mostValue))
}

// join makes older files, by number, the beginning of the log, and returns them, the oldest first.
// Where it is not clear that they are, it leaves notes.
func (f *Found) join(ctx context.Context, older map[int]*Found) ([]part, error) {
	chain := []*Found{f} // the newest first
	for n := 1; older[n] != nil; n++ {
		chain = append(chain, older[n])
	}
	missing := partName(f.names[0], len(chain))
	there := plainFile(filepath.Join(f.dir, missing)) != nil
	why := ""
	switch {
	case there:
		why = missing + " " + f.unread()
	case len(older) >= len(chain):
		why = "there is no " + missing
	case len(chain) == 1:
		return nil, nil
	}
	var parts []part
	for _, p := range slices.Backward(chain[1:]) {
		info := plainFile(p.Path)
		if info == nil || p.kind != f.kind {
			why = cmp.Or(why, p.names[0]+" is another kind of log")
		}
		parts = append(parts, part{p.names[0], info})
	}
	if why == "" {
		var err error
		if why, err = overlap(ctx, chain); err != nil {
			return nil, err
		}
	}
	if why == "" {
		f.rotated = parts
		f.note("it was rotated, and begins in %s", parts[0].name)
		return parts, nil
	}
	var names []string
	for _, n := range slices.Sorted(maps.Keys(older)) {
		names = append(names, older[n].names[0])
		older[n].note("it is not joined to %s: %s", f.names[0], why)
	}
	if there {
		names = append(names, missing)
	}
	f.note("it may have been rotated, but is not joined to %s: %s", strings.Join(names, ", "), why)
	return nil, nil
}

// overlap returns where the steps of files do not follow each other, or "". The newest file comes
// first. The error is that of ctx.
func overlap(ctx context.Context, chain []*Found) (why string, err error) {
	var newer *span
	for i, f := range chain {
		s, err := f.span(ctx)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			return err.Error(), nil
		case i > 0 && !newer.follows(s):
			return fmt.Sprintf("%s goes up to step %d, and %s begins at step %d", f.names[0],
				s.most, chain[i-1].names[0], newer.least), nil
		}
		newer = s
	}
	return "", nil
}

// span says where the numbers of a file are.
type span struct {
	least, most int64            // steps
	first, last map[string]int64 // the same by name
}

// span reads the file of a log.
func (f *Found) span(ctx context.Context) (*span, error) {
	src, err := f.open()
	if err != nil {
		return nil, err
	}
	defer src.root.Close()
	defer src.close()
	s := &span{least: math.MaxInt64, most: -1, first: map[string]int64{},
		last: map[string]int64{}}
	n := 0
	return s, f.kind.read(src, &Log{take: func(p Point) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.least, s.most = min(s.least, p.Step), max(s.most, p.Step)
		if at, ok := s.first[p.Name]; !ok || p.Step < at {
			s.first[p.Name] = p.Step
		}
		s.last[p.Name] = max(s.last[p.Name], p.Step)
		return nil
	}})
}

// follows reports whether the steps of a file go on behind those of an older one. The lines of one
// step may be in both files, with other names.
func (s *span) follows(older *span) bool {
	if s.least != older.most {
		return s.least > older.most
	}
	for name, first := range s.first {
		if last, both := older.last[name]; both && first <= last {
			return false
		}
	}
	return true
}

// each reads the files of a log: those that were rotated away, the oldest first, and then the one
// that is written. ended says that a file has all that it will have.
func (s *Source) each(read func(name string, ended bool) error) error {
	for _, p := range s.rotated {
		if err := s.moved(); err != nil {
			return err
		}
		if err := read(p.name, true); err != nil {
			return err
		}
	}
	if err := s.moved(); err != nil {
		return err
	}
	if len(s.rotated) > 0 && s.turned != nil {
		s.turned()
	}
	if err := read(s.names[0], false); err != nil || s.wait != nil {
		return err
	}
	return s.moved()
}

// newer returns the files between the one that was read, which was moved away, and the one that is
// written now, the oldest first: a log may be rotated twice between two looks at it.
func (s *Source) newer() (list []part) {
	name := s.names[0]
	at := slices.IndexFunc(s.opened, func(f *file) bool { return f.name == name })
	for n := 1; at >= 0; n++ {
		info, err := s.root.Lstat(partName(name, n))
		if err != nil || !info.Mode().IsRegular() {
			return nil // what was read is not beside it
		}
		if os.SameFile(info, s.opened[at].info) {
			break
		}
		list = append(list, part{partName(name, n), info})
	}
	slices.Reverse(list)
	return list
}

// moved returns errMoved if a file that was rotated away is another one than was found.
func (s *Source) moved() error {
	for _, p := range s.rotated {
		if at, err := s.root.Lstat(p.name); err != nil || !os.SameFile(at, p.info) {
			return errMoved
		}
	}
	return nil
}
