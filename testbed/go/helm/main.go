// Helm, so that a chart is installed as people install it, built with the same packages as the cluster's own programs.
package main

import (
	"errors"
	"fmt"
	"os"

	helm "helm.sh/helm/v4/pkg/cmd"
	"helm.sh/helm/v4/pkg/kube"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	// Whose fields these are in managedFields, whatever this program is called.
	kube.ManagedFieldsManager = "helm"
	root, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// It says itself what went wrong.
	err = root.Execute()
	var coded helm.CommandError
	if errors.As(err, &coded) {
		os.Exit(coded.ExitCode)
	}
	if err != nil {
		os.Exit(1)
	}
}
