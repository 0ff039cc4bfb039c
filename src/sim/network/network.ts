/** A port of a node, of a pod, or of the machine a balancer runs on. */
export interface Destination {
  readonly host: string
  readonly port: number
}

export interface NetworkRequest {
  readonly path: string
  /** `NAME=VALUE`, where the client has one. */
  readonly cookie?: string
}

export interface NetworkReply {
  readonly status: number
  readonly body: string
  /** The end that answered will close the connection, and says so (`Connection: close`). */
  readonly closes?: boolean
  /** `NAME=VALUE` that the client is to send from now on. */
  readonly setCookie?: string
}

/** The other end closed, in good order or not, before it had answered in full. */
export type Broken = 'broken'

/** One TCP connection with HTTP on it, one request at a time, as the end that opened it sees it. */
export interface Connection {
  readonly isOpen: boolean
  /**
   * `done` is called at most once; never where the other end vanished without a message (a machine without power, until it is
   * on again and does not know the connection), so the caller needs a limit of its own. One request at a time.
   */
  send(request: NetworkRequest, done: (reply: NetworkReply | Broken) => void): void
  /** Called once when the other end closes it, whether or not a request is under way; not where it had done so before. */
  onClosed(run: () => void): void
  /** Whatever is under way is heard of no more. */
  close(): void
}

/** `refused`: a refusal came back at once (RST, ICMP). `silent`: no answer comes; the caller's own limit decides. */
export type Dialled =
  | { readonly kind: 'open'; readonly connection: Connection }
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' }

/** Answers requests at a destination. Each reply is asked for once; `end` is what became of the connection meanwhile. */
export interface Listener {
  /** What a request on a connection of its own would be answered at once, where nothing else can come of it. */
  sureAnswer?(request: NetworkRequest): NetworkReply | undefined
  /** A new connection from that host; what is returned stands for it. Refused where nothing is returned. */
  accept(from: string): Accepted | undefined
}

/** The answering end of one connection. */
export interface Accepted {
  request(request: NetworkRequest, reply: (reply: NetworkReply) => void): void
  /** The end that opened it has closed it. */
  closed(): void
  /** Handed in by the network: closes the connection from this end, at once. */
  bind(close: () => void): void
}

/** How bytes travel. The model knows hosts that are on or off, and listeners; a host that is off is silent. */
export interface Network {
  /**
   * What a request on a connection of its own would be answered within a millisecond, where everything on the way and at its end is
   * well: who asks often can then do without the connection. Undefined where only asking tells.
   */
  sureAnswer?(to: Destination, request: NetworkRequest): NetworkReply | undefined
  /** Answered within a millisecond, `silent` too; never within the call. */
  dial(to: Destination, answered: (dialled: Dialled) => void): void
  /** The returned function ends it: new connections are refused, those that are open live on until they are closed. */
  listen(at: Destination, listener: Listener): () => void
  /** A host joins, and is on. */
  addHost(host: string): void
  /** Leaves without a word: connections to and from it hang. A host that is on again resets what it no longer knows. */
  setPower(host: string, isOn: boolean): void
  /** It is gone from the network, as the address of a pod is whose sandbox was removed: silent, and forgotten. */
  removeHost(host: string): void
}
