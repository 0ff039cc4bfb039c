import type { Endpoint } from '../../ground/model/endpoint.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'

/** The ports that kubeadm and most installers give the API server and its etcd. */
const USUAL_API_PORTS: readonly number[] = [6443, 2379]
/** Whole names. `k8s-ingress-http` is no more the API than `shop-api` is. */
const API_NAME = /^(kube-?api-?server|api-?server|kube-?api|k8s-?api|k8s-?masters?|kubernetes(-?api)?|kube|k8s|etcd)$/i

/** Ingress controllers listen there on every node, and many an API server too: the port alone shows nothing. */
const EVERYBODYS_PORTS: readonly number[] = [80, 443]

/**
 * The port by which a backend leads to the Kubernetes API or its etcd. Such a backend is never touched: without it the roll could not go on
 * in mid-step. `apiServers` are those that the cluster itself names, in its kubeconfig or in the endpoints of `default/kubernetes`. A
 * kubeconfig that names this machine leads through a tunnel, whose port says nothing of the ports of the cluster.
 */
export const apiPort = (
  { servers }: { readonly servers: readonly Endpoint[] },
  apiServers: readonly Endpoint[],
): number | undefined => servers.find((server) => isApiServer(server, apiServers))?.port

/** Its name is that of the API. A name alone proves nothing: people also name a backend after the cluster that it leads to. */
export const isNamedAsApi = ({ name }: { readonly name: string }): boolean => API_NAME.test(name)

const isApiServer = ({ address, port }: Endpoint, apiServers: readonly Endpoint[]): boolean =>
  USUAL_API_PORTS.includes(port) ||
  apiServers.some((known) => known.port === port && (!saysNothing(known) || isSame(known.address, address)))

const saysNothing = ({ address, port }: Endpoint): boolean => EVERYBODYS_PORTS.includes(port) || isThisMachine(address)

const isThisMachine = (address: string): boolean =>
  /^(localhost|127\.[0-9.]+|0:0:0:0:0:0:0:1)$/.test(canonicalAddress(address))

const isSame = (one: string, other: string): boolean => canonicalAddress(one) === canonicalAddress(other)
