// The test bed's web application: says who served each answer, stops politely or at once, answers slowly on demand.
//
//	PORT         port to listen on (8080)
//	NODE_NAME    node that carries the pod; POD_NAME: the pod (host name)
//	STOP         graceful (default): upon SIGTERM unready, serve on for GRACE with "Connection: close", then shut down;
//	             immediate: exit upon SIGTERM
//	GRACE        how long a graceful stop serves on (3s)
//	FORWARD      a URL whose answers it hands on, as an ingress does: each request over a connection of its own
//	START_DELAY  how long after the start the app turns ready (0s)
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

type app struct {
	servedBy string
	readyAt  time.Time
	stopping atomic.Bool
}

func main() {
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	if len(os.Args) == 3 && os.Args[1] == "get" {
		get(os.Args[2])
		return
	}
	host, err := os.Hostname()
	if err != nil {
		log.Fatal(err)
	}
	a := &app{
		servedBy: setting("POD_NAME", host) + "/" + setting("NODE_NAME", "unknown"),
		readyAt:  time.Now().Add(duration("START_DELAY", "0s")),
	}
	listener, err := net.Listen("tcp", ":"+setting("PORT", "8080"))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: a.routes()}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	stopped := make(chan struct{})
	go a.stopUpon(signals, server, stopped)
	log.Printf("%s listens on %s", a.servedBy, listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/readyz", a.readiness)
	mux.HandleFunc("/slow", a.slow)
	mux.Handle("/", a.front())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Served-By", a.servedBy)
		if a.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		mux.ServeHTTP(w, r)
	})
}

// front is the app itself, or what it is an ingress for.
func (a *app) front() http.Handler {
	behind, err := url.Parse(setting("FORWARD", ""))
	if err != nil {
		log.Fatalf("FORWARD: %v", err)
	}
	if behind.Host == "" {
		return http.HandlerFunc(a.answer)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	return proxy
}

func (a *app) readiness(w http.ResponseWriter, _ *http.Request) {
	if a.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	if time.Now().Before(a.readyAt) {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (a *app) slow(w http.ResponseWriter, r *http.Request) {
	ms, err := strconv.Atoi(r.URL.Query().Get("ms"))
	if err != nil || ms < 0 {
		http.Error(w, "ms must be a number of milliseconds", http.StatusBadRequest)
		return
	}
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		a.answer(w, r)
	case <-r.Context().Done():
	}
}

func (a *app) answer(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, "served by %s\n", a.servedBy)
}

func (a *app) stopUpon(signals <-chan os.Signal, server *http.Server, stopped chan<- struct{}) {
	grace := duration("GRACE", "3s")
	log.Print(<-signals)
	if setting("STOP", "graceful") == "immediate" {
		os.Exit(0)
	}
	a.stopping.Store(true)
	time.Sleep(grace)
	limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		log.Print(err)
	}
	close(stopped)
}

// get prints one answer: a client for use inside pods, whose image holds nothing else.
func get(url string) {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.StatusCode, response.Header.Get("X-Served-By"))
	if response.StatusCode >= http.StatusBadRequest {
		os.Exit(1)
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func duration(name, otherwise string) time.Duration {
	value, err := time.ParseDuration(setting(name, otherwise))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}
