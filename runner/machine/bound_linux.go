package machine

import "golang.org/x/sys/unix"

// boundTo returns whether this process may run on a processor, by its number; nil if it may run on
// all of them.
func boundTo() func(processor int) bool {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	return set.IsSet
}
