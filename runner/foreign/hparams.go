package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"drolab/presets"
)

// hparamsName is the file of settings that Lightning writes beside its logs.
const hparamsName = "hparams.yaml"

const mostYAML = 1 << 20

// readHparams reads the settings beside a log. Lightning may write objects of Python there, which
// are never made.
func readHparams(in *Source, l *Log) {
	text, err := in.text(hparamsName, mostYAML)
	if err != nil {
		l.note("%s is not read: %v", hparamsName, err)
		return
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("{}")) {
		return
	}
	list, err := presets.Entries(hparamsName, text)
	if err != nil {
		l.note("%s is not read: %v", hparamsName, err)
		return
	}
	settingsOf(list, l, "")
}

func settingsOf(list []presets.Entry, l *Log, prefix string) {
	for _, e := range list {
		if e.Below != nil {
			settingsOf(e.Below, l, prefix+e.Key+".")
			continue
		}
		if v, err := parse(e.Value); err == nil && v != nil {
			l.setting(prefix+e.Key, textOf(v))
		}
	}
}

// ReadMapping reads the file of a mapping: a key for each name of the log, with its measure.
func ReadMapping(path string) (list []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > mostYAML {
		return nil, fmt.Errorf("%s has more than %d bytes", path, mostYAML)
	}
	entries, err := presets.Entries(path, text)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var measure string
		if e.Below != nil || json.Unmarshal(e.Value, &measure) != nil {
			return nil, fmt.Errorf("%s:%d: %s: expected the name of a measure, as in val/acc: "+
				"val_accuracy", path, e.Line, clean(e.Key, mostName))
		}
		list = append(list, e.Key+"="+measure)
	}
	return list, nil
}
