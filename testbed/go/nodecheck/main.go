// A node's health check as people write it in an afternoon, for comparison: each check asks the API server, the verdict
// stands in the body of a 200, and whatever goes wrong is a panic. It serves the folder that it is started in.
//
//	nodecheck [ADDRESS]    (:80; the node is $MY_NODE_NAME, the API server that of the pod, or at $API by $TOKEN)
package main

import (
	"fmt"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	client := kubernetes.NewForConfigOrDie(config())
	node := os.Getenv("MY_NODE_NAME")
	http.Handle("/", http.FileServer(http.Dir("./")))
	http.HandleFunc("/nodename", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "Node: %q", node)
	})
	http.HandleFunc("/nodecheck", func(w http.ResponseWriter, r *http.Request) {
		found, err := client.CoreV1().Nodes().Get(r.Context(), node, metav1.GetOptions{})
		if err != nil {
			panic(err)
		}
		if found.Spec.Unschedulable {
			fmt.Fprint(w, "Down")
			return
		}
		fmt.Fprint(w, "OK")
	})
	address := ":80"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil))
	os.Exit(1)
}

func config() *rest.Config {
	api := os.Getenv("API")
	if api == "" {
		config, err := rest.InClusterConfig()
		if err != nil {
			panic(err)
		}
		return config
	}
	// client-go's own limit of five requests a second would be measured, and not the program: a check waits behind it.
	return &rest.Config{
		Host:            api,
		BearerToken:     os.Getenv("TOKEN"),
		TLSClientConfig: rest.TLSClientConfig{CAFile: os.Getenv("CA"), CertFile: os.Getenv("CERT"), KeyFile: os.Getenv("KEY")},
		QPS:             1000,
		Burst:           1000,
	}
}
