/** What says that a backend leads to the Kubernetes API or its etcd. */
export type ApiEvidence =
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'name'; readonly word: string }

export interface NamedBackend {
  readonly name: string
  readonly servers: readonly { readonly port: number }[]
}

/** The port that kubeadm and most installers give the API server. */
const USUAL_API_PORTS: readonly number[] = [6443]
/** Whole words of a name: `k8s-api` is the API, `shop-api` and `rapid` are not. */
const API_WORD =
  /(?<=^|[-_.])(kube-?api-?server|api-?server|kube-?api|k8s-?api|k8s-?masters?|kubernetes(-?api)?|kube|k8s|etcd)(?=$|[-_.])/i

/**
 * The API server's backend is never touched: taking its server out would blind the roll in mid-step. `apiPorts` are
 * those that the cluster itself names, in its kubeconfig or in the endpoints of `default/kubernetes`.
 */
export function apiEvidence(backend: NamedBackend, apiPorts: readonly number[] = []): ApiEvidence | undefined {
  const port = backend.servers.map((server) => server.port).find((it) => isApiPort(it, apiPorts))
  if (port !== undefined) return { kind: 'port', port }
  const word = API_WORD.exec(backend.name)?.[0]
  return word === undefined ? undefined : { kind: 'name', word }
}

const isApiPort = (port: number, apiPorts: readonly number[]): boolean =>
  USUAL_API_PORTS.includes(port) || apiPorts.includes(port)
