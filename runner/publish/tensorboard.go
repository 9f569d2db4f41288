package publish

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
)

// An EventWriter writes a run's events as TensorBoard reads them. A record has the length of a
// message, the checksum of the length, the message Event (tensorflow/core/util/event.proto) and its
// checksum. A curve is named by its measure, followed by a slash and its class, group or radius if
// it has one.
type EventWriter struct {
	w    *bufio.Writer
	file io.Closer
	meta *runner.Meta
}

// NewEventWriter makes an event file in the folder, and the folder if it is missing. The name of
// the file has the time.
func NewEventWriter(folder string, m *runner.Meta, now time.Time) (*EventWriter, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("events.out.tfevents.%d.%s", now.Unix(), m.ID)
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	e := &EventWriter{w: bufio.NewWriter(file), file: file, meta: m}
	var first message
	first.double(1, seconds(m.Created))
	first.text(3, "brain.Event:2")
	return e, e.record(first)
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// Write writes the measures of an event, if it has any.
func (e *EventWriter) Write(event runner.Event) error {
	h := event.Header()
	var values message
	switch event := event.(type) {
	case *runner.StepEvent:
		for _, v := range event.Values {
			scalar(&values, "step/"+v.Name, v.Number)
		}
		scalar(&values, "step/images_per_second", event.ImagesPerSecond)
	case *runner.EvalEvent:
		for _, v := range event.Values {
			if !measure.IsUser(v.Name) { // steps have it
				scalar(&values, "evaluation/"+v.Name, v.Number)
			}
		}
		eachPlace(e.meta, event.ByGroup, func(name, place string, n measure.Number) {
			scalar(&values, name+"/"+place, n)
		})
	}
	if len(values) == 0 {
		return nil
	}
	var m message
	m.double(1, seconds(e.timeOf(h)))
	m.integer(2, h.Step)
	m.bytes(5, values)
	return e.record(m)
}

// timeOf returns when an event was: of an imported run, as its log has it.
func (e *EventWriter) timeOf(h *runner.Head) time.Time {
	if x := h.Elapsed.Float(); !(x >= 0 && x <= eventlog.MostElapsed) {
		return h.Time
	}
	return e.meta.Created.Add(time.Duration(h.Elapsed.Float() * float64(time.Second)))
}

// scalar adds a value to a message Summary.
func scalar(m *message, tag string, n measure.Number) {
	if !n.Applies() {
		return
	}
	var v message
	v.text(1, tag)
	v.float(2, float32(n.Float()))
	m.bytes(1, v)
}

// Flush hands everything to the file.
func (e *EventWriter) Flush() error { return e.w.Flush() }

// Close flushes and closes the file.
func (e *EventWriter) Close() error { return errors.Join(e.w.Flush(), e.file.Close()) }

func (e *EventWriter) record(m message) error {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(m)))
	b := append(binary.LittleEndian.AppendUint32(head, maskedChecksum(head)), m...)
	_, err := e.w.Write(binary.LittleEndian.AppendUint32(b, maskedChecksum(m)))
	return err
}

// maskedChecksum is the checksum of a record (tensorflow/core/lib/hash/crc32c.h).
func maskedChecksum(b []byte) uint32 {
	c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (c>>15 | c<<17) + 0xa282ead8
}

func writeTensorBoard(r *Run, folder string) error {
	steps, evals, err := r.events()
	if err != nil {
		return err
	}
	w, err := NewEventWriter(folder, &r.Meta, r.Meta.Created)
	if err != nil {
		return err
	}
	var events []runner.Event
	for _, s := range steps {
		events = append(events, s)
	}
	for _, e := range evals {
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b runner.Event) int {
		return cmp.Compare(a.Header().Step, b.Header().Step)
	})
	for _, e := range events {
		err = errors.Join(err, w.Write(e))
	}
	return errors.Join(err, w.Close())
}
