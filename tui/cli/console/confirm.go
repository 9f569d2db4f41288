package console

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// Confirm asks a question, and returns an error unless the answer is yes. If nobody can be asked,
// the answer is no. done says what is not done then, as in "deleted".
func (c *Console) Confirm(question, done string) error {
	fmt.Fprintf(c.Stderr, "%s Type yes: ", question)
	if c.Stdin == nil {
		return errors.New("no terminal to ask on: use --yes for no question")
	}
	answer, _ := bufio.NewReader(c.Stdin).ReadString('\n') // no answer is not a yes
	if strings.ToLower(strings.TrimSpace(answer)) != "yes" {
		return fmt.Errorf("nothing %s: the answer was not yes (--yes skips the question)", done)
	}
	return nil
}
