package publish

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"drolab/dro/nn"
)

// pythonFrame is the file without the parts of a run, which replace the lines that begin with #:.
//
//go:embed network.py
var pythonFrame string

// writePython writes one file that needs PyTorch and NumPy alone.
func writePython(w io.Writer, r *Run) error {
	n, err := r.network()
	if err != nil {
		return err
	}
	facts, err := json.Marshal(map[string]any{
		"run":     r.Meta.ID,
		"step":    r.State.Step,
		"dataset": r.Meta.Spec.Dataset,
		"classes": r.Encoder.Classes,
		"shape":   []int{r.Encoder.Shape.C, r.Encoder.Shape.H, r.Encoder.Shape.W},
		"mean":    n.mean,
		"std":     n.std,
		"columns": r.Encoder.Columns,
		"options": r.Encoder.Options,
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(string(facts)) // a JSON string is a Python string
	if err != nil {
		return err
	}
	layers, forward := pythonLayers(n.layers)
	weights, err := pythonWeights(n.tensors)
	if err != nil {
		return err
	}
	fill := strings.NewReplacer(
		"#:FACTS", "FACTS = json.loads("+string(text)+")",
		"#:LAYERS", layers,
		"#:FORWARD", forward,
		"#:WEIGHTS", weights)
	_, err = fill.WriteString(w, pythonFrame)
	return err
}

// pythonLayers returns the lines of __init__ and of forward.
func pythonLayers(list []nn.Layer) (layers, forward string) {
	var init, run []string
	out := func(i int) string {
		if i < 0 {
			return "x"
		}
		return "y" + strconv.Itoa(i)
	}
	for i, l := range list {
		name, x := strings.ReplaceAll(l.Name, ".", "_"), out(l.From)
		switch l.Kind {
		case "sum":
			x += " + " + out(l.Plus)
		case "average":
			x += ".mean((2, 3), keepdim=True)"
		case "linear":
			init = append(init, fmt.Sprintf("self.%s = nn.Linear(%d, %d)",
				name, l.In[0]*l.In[1]*l.In[2], l.Out[0]))
			x = fmt.Sprintf("self.%s(%s.flatten(1))", name, x)
		default:
			bias := "True"
			if l.Norm {
				bias = "False"
			}
			init = append(init, fmt.Sprintf(
				"self.%s = nn.Conv2d(%d, %d, %d, stride=%d, padding=%d, bias=%s)",
				name, l.In[0], l.Out[0], l.Kernel, l.Stride, l.Pad, bias))
			x = fmt.Sprintf("self.%s(%s)", name, x)
		}
		if l.Norm {
			init = append(init, fmt.Sprintf("self.%s_norm = nn.BatchNorm2d(%d)", name, l.Out[0]))
			x = fmt.Sprintf("self.%s_norm(%s)", name, x)
		}
		if l.ReLU {
			x = "torch.relu(" + x + ")"
		}
		switch l.Curve {
		case "tanh":
			x = "torch.tanh(" + x + ")"
		case "gelu":
			x = "nn.functional.gelu(" + x + ")"
		}
		if l.Pool {
			x = "nn.functional.max_pool2d(" + x + ", 2)"
		}
		run = append(run, out(i)+" = "+x)
	}
	run = append(run, "return "+out(len(list)-1))
	const indent = "\n        "
	return strings.Join(init, indent), strings.Join(run, indent)
}

// pythonWeights returns the tensors in their order as deflated float32, in base64, with their names
// and shapes.
func pythonWeights(tensors []nn.Tensor) (string, error) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	var list strings.Builder
	list.WriteString("TENSORS = [")
	for _, t := range tensors {
		if err := binary.Write(z, binary.LittleEndian, t.Data); err != nil {
			return "", err
		}
		dot := strings.LastIndexByte(t.Name, '.')
		layer, tensor := t.Name[:dot], t.Name[dot:]
		shape := strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")
		fmt.Fprintf(&list, "\n    (%q, %s),", strings.ReplaceAll(layer, ".", "_")+tensor, shape)
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	list.WriteString("\n]\nWEIGHTS = \"\"\"\n")
	text := base64.StdEncoding.AppendEncode(nil, packed.Bytes())
	for line := range slices.Chunk(text, 100) {
		fmt.Fprintf(&list, "%s\n", line)
	}
	return list.String() + "\"\"\"", nil
}
