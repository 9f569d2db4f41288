package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"

	"drolab/runner/measure"
)

// object is a JSON object whose numbers keep their digits, with the keys in their order.
type object []member

type member struct {
	key   string
	value any // float64, string, bool, nil, object or []any
}

// get returns the value of a key; nil if there is none.
func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

const mostDepth = 16

var errDeep = errors.New("it is nested too deeply")

// parse reads one JSON value. Python writes NaN and Infinity where JSON has no word for them.
func parse(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(pythonic(text)))
	d.UseNumber()
	v, err := decode(d, 0)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the value")
		}
	}
	return v, err
}

// The texts that stand for Python's words, which JSON lacks.
const nanText, infText, minusText = `"\u0000NaN"`, `"\u0000Inf"`, `"\u0000-Inf"`

// pythonic replaces the words NaN, Infinity and -Infinity outside strings.
func pythonic(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	var out []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case quoted && text[i] == '\\' && i+1 < len(text):
			out = append(out, text[i])
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(rest, []byte("NaN")):
			out, i = append(out, nanText...), i+len("NaN")-1
			continue
		case !quoted && bytes.HasPrefix(rest, []byte("Infinity")):
			out, i = append(out, infText...), i+len("Infinity")-1
			continue
		case !quoted && bytes.HasPrefix(rest, []byte("-Infinity")):
			out, i = append(out, minusText...), i+len("-Infinity")-1
			continue
		}
		out = append(out, text[i])
	}
	return out
}

func decode(d *json.Decoder, depth int) (any, error) {
	if depth > mostDepth {
		return nil, errDeep
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return decodeObject(d, depth)
		}
		var list []any
		for d.More() {
			v, err := decode(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Number:
		x, err := strconv.ParseFloat(string(t), 64)
		if errors.Is(err, strconv.ErrRange) {
			err = nil // it is infinite or 0
		}
		return x, err
	case string:
		switch t {
		case "\x00NaN":
			return math.NaN(), nil
		case "\x00Inf":
			return math.Inf(1), nil
		case "\x00-Inf":
			return math.Inf(-1), nil
		}
		return t, nil
	}
	return t, nil
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("expected a key")
		}
		v, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name, v})
	}
	_, err := d.Token()
	return o, err
}

// numbers passes the numbers of an object to f, those of objects within it with a dot between the
// keys. Truth values are 0 and 1.
func (o object) numbers(prefix string, f func(name string, x float64) error) error {
	for _, m := range o {
		var err error
		switch v := m.value.(type) {
		case float64:
			err = f(prefix+m.key, v)
		case bool:
			x := 0.0
			if v {
				x = 1
			}
			err = f(prefix+m.key, x)
		case object:
			err = v.numbers(prefix+m.key+".", f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settings keeps what an object says as settings.
func (o object) settings(l *Log, prefix string) {
	for _, m := range o {
		switch v := m.value.(type) {
		case object:
			v.settings(l, prefix+m.key+".")
		case nil:
		default:
			l.setting(prefix+m.key, textOf(v))
		}
	}
}

// textOf returns a value as people write it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		b := []byte("[")
		for i, x := range v {
			if len(b) > mostValue {
				break
			}
			if i > 0 {
				b = append(b, ' ')
			}
			b = append(b, textOf(x)...)
		}
		return string(append(b, ']'))
	}
	return ""
}

// firstObject returns the object in the first line.
func firstObject(head []byte) object {
	text, _, whole := bytes.Cut(head, []byte("\n"))
	if !whole && len(head) >= sniffSize {
		return nil
	}
	v, err := parse(bytes.TrimSpace(text))
	if err != nil {
		return nil
	}
	o, _ := v.(object)
	return o
}

// isLines recognises JSON lines with a step or an epoch.
func isLines(head []byte) bool {
	o := firstObject(head)
	_, step := o.get("step").(float64)
	_, epoch := o.get("epoch").(float64)
	return step || epoch
}

// isDomainBed recognises results.jsonl of DomainBed by the settings that stand in each line.
func isDomainBed(head []byte) bool {
	o := firstObject(head)
	_, args := o.get("args").(object)
	_, hparams := o.get("hparams").(object)
	return args && hparams && isLines(head)
}

// readLines reads JSON lines: one object a line, with a step or an epoch.
func readLines(in *Source, l *Log) error {
	return in.each(func(name string, ended bool) error { return readFile(in, l, name, ended) })
}

// readFile reads the lines of one file.
func readFile(in *Source, l *Log, name string, ended bool) error {
	f, err := in.open(name)
	if err != nil {
		return err
	}
	f.dodges = ended
	for n := 1; ; n++ {
		text, err := f.next(line)
		if errors.Is(err, io.EOF) && f.rest() > 0 && (in.wait == nil || ended) {
			// The last line may lack its newline alone; half an object is no object.
			if v, wrong := parse(f.buf); wrong == nil {
				return readLine(v, l)
			}
			l.note("the last line of %s is cut short and left out", f.name)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		v, err := parse(text)
		if err != nil {
			l.note("lines that are no JSON are left out, such as line %d of %s", n, f.name)
			continue
		}
		if err := readLine(v, l); err != nil {
			return err
		}
	}
}

// readLine reads the object of one line.
func readLine(v any, l *Log) error {
	o, ok := v.(object)
	if !ok {
		l.note("lines that are no JSON object are left out")
		return nil
	}
	step, ok := o.get("step").(float64)
	epoch, said := o.get("epoch").(float64)
	if !ok {
		if step = epoch; !said {
			l.note("lines without a step and an epoch are left out")
			return nil
		}
	}
	if step != math.Trunc(step) {
		l.note("lines whose step or epoch is not whole are left out, such as %v", step)
		return nil
	}
	if ok && said && step > 0 && epoch > 0 && l.PerEpoch == 0 && o.get("hparams") != nil {
		l.PerEpoch = int64(math.Round(step / epoch)) // DomainBed's epoch is step over this
	}
	var metrics object
	var keys []string
	for _, m := range o {
		keys = append(keys, m.key)
	}
	var elapsed measure.Number
	key := timeKey(keys)
	if x, ok := timeOf(o.get(key)); ok && key != "" {
		elapsed = l.inOrder(key, x)
	}
	for _, m := range o {
		if m.key == key && key != unsureTime {
			continue
		}
		switch m.key {
		case "step", "epoch":
		case "args", "hparams":
			if of, ok := m.value.(object); ok {
				of.settings(l, "")
			}
		default:
			metrics = append(metrics, m)
		}
	}
	return metrics.numbers("", func(name string, x float64) error {
		return l.point(Point{Step: toStep(step), Epoch: epoch, Name: name, Group: -1, Value: x,
			Elapsed: elapsed})
	})
}

// toStep returns a number as a step; −1 if it cannot be one.
func toStep(x float64) int64 {
	if !(x >= 0 && x <= mostStep) {
		return -1
	}
	return int64(x)
}
