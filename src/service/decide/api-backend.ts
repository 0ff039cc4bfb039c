import type { Endpoint } from '../../ground/model/endpoint.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'

/** Why a backend seems to lead to the Kubernetes API or its etcd. */
type ApiEvidence = { readonly kind: 'port'; readonly port: number } | { readonly kind: 'name'; readonly word: string }

interface NamedBackend {
  readonly name: string
  readonly servers: readonly Endpoint[]
}

/** The port that kubeadm and most installers give the API server. */
const USUAL_API_PORTS: readonly number[] = [6443]
/** Whole words of a name: `k8s-api` is the API, `shop-api` and `rapid` are not. */
const API_WORD =
  /(?<=^|[-_.])(kube-?api-?server|api-?server|kube-?api|k8s-?api|k8s-?masters?|kubernetes(-?api)?|kube|k8s|etcd)(?=$|[-_.])/i

/** Ingress controllers listen there on every node, and many an API server too: the port alone shows nothing. */
const EVERYBODYS_PORTS: readonly number[] = [80, 443]

/**
 * The backend of the API server is never touched: without it the roll could not go on in mid-step. `apiServers` are those that
 * the cluster itself names, in its kubeconfig or in the endpoints of `default/kubernetes`.
 */
export function apiEvidence(backend: NamedBackend, apiServers: readonly Endpoint[]): ApiEvidence | undefined {
  const server = backend.servers.find((it) => isApiServer(it, apiServers))
  if (server !== undefined) return { kind: 'port', port: server.port }
  const word = API_WORD.exec(backend.name)?.[0]
  return word === undefined ? undefined : { kind: 'name', word }
}

const isApiServer = ({ address, port }: Endpoint, apiServers: readonly Endpoint[]): boolean =>
  USUAL_API_PORTS.includes(port) ||
  apiServers.some(
    (known) => known.port === port && (!EVERYBODYS_PORTS.includes(port) || isSame(known.address, address)),
  )

const isSame = (one: string, other: string): boolean => canonicalAddress(one) === canonicalAddress(other)
