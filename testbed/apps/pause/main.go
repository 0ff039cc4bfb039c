// The first process of every pod: holds the pod's namespaces open, buries orphans, leaves when told.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			buried, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err != nil || buried <= 0 {
				break
			}
		}
	}
}
