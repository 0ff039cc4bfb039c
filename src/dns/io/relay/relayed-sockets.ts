import { Duplex } from 'node:stream'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Sockets, UdpListeners, UdpSocket } from '../sockets.ts'
import { addressBytes, FRAME, type Frame, frame, PAYLOAD_BYTES_MAX, readAddress, readFrames } from './frames.ts'

/** Hears what the relay says of one socket. */
interface Listener {
  readonly hear: (is: number, rest: Buffer) => void
  readonly lose: (error: WorldError) => void
}

/** Sockets of a relay, over one connection to it. Once that is lost every socket fails by WorldError DNS_RELAY. */
export class RelayedSockets implements Sockets {
  readonly #stream: Duplex
  readonly #listeners = new Map<number, Listener>()
  #last = 0
  #lost: WorldError | undefined

  constructor(stream: Duplex) {
    this.#stream = stream
    readFrames(stream, ({ socket, is, rest }: Frame) => this.#listeners.get(socket)?.hear(is, rest))
    stream.on('error', (error) => this.#lose(error.message))
    stream.on('close', () => this.#lose('the connection was closed'))
  }

  udp(at: Endpoint): UdpSocket {
    const line = this.#line()
    line.say(FRAME.openUdp, addressBytes(at))
    return new RelayedUdpSocket(line)
  }

  tcp(at: Endpoint): Duplex {
    const line = this.#line()
    line.say(FRAME.openTcp, addressBytes(at))
    return new RelayedConnection(line)
  }

  /** Resolves when all that the relay said before has been heard. Rejects with WorldError DNS_RELAY, or with the signal's reason. */
  answers(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const line = this.#line()
    line.listen({ hear: () => resolve(), lose: reject })
    line.say(FRAME.ping)
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      line.end()
    })
  }

  get isOpen(): boolean {
    return this.#lost === undefined
  }

  close(): void {
    this.#stream.destroy()
  }

  #line(): Line {
    this.#last += 1
    const socket = this.#last
    return {
      listen: (listener) => {
        this.#listeners.set(socket, listener)
        const lost = this.#lost
        if (lost !== undefined) queueMicrotask(() => listener.lose(lost))
      },
      say: (is, rest) => {
        if (this.#lost === undefined) this.#stream.write(frame(socket, is, rest))
      },
      end: () => {
        this.#listeners.delete(socket)
      },
    }
  }

  #lose(why: string): void {
    if (this.#lost !== undefined) return
    this.#lost = new WorldError(`the relay was lost: ${why}`, { code: 'DNS_RELAY', retry: 'backoff' })
    for (const { lose } of [...this.#listeners.values()]) lose(this.#lost)
  }
}

/** To the relay, for one socket of it. */
interface Line {
  readonly listen: (listener: Listener) => void
  readonly say: (is: number, rest?: Buffer) => void
  readonly end: () => void
}

const relayed = (code: Buffer): Error =>
  Object.assign(new Error(code.toString('utf8')), { code: code.toString('utf8') })

class RelayedUdpSocket implements UdpSocket {
  readonly #line: Line
  readonly #waiting: ((error?: Error) => void)[] = []
  #listeners: UdpListeners | undefined
  #failed: Error | undefined
  #isConnected = false

  constructor(line: Line) {
    this.#line = line
    line.listen({ hear: (is, rest) => this.#hear(is, rest), lose: (error) => this.#fail(error) })
  }

  listen(listeners: UdpListeners): () => void {
    this.#listeners = listeners
    return () => {
      this.#listeners = undefined
    }
  }

  connect(at: Endpoint, done: (error?: Error) => void): void {
    this.#ask(FRAME.connect, addressBytes(at), (error) => {
      this.#isConnected = error === undefined
      done(error)
    })
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  send(bytes: Buffer, to: Endpoint | undefined, done: (error?: Error) => void): void {
    if (to === undefined) this.#ask(FRAME.send, bytes, done)
    else this.#ask(FRAME.sendTo, Buffer.concat([addressBytes(to), bytes]), done)
  }

  close(): void {
    this.#line.say(FRAME.close)
    this.#line.end()
  }

  #ask(is: number, rest: Buffer, done: (error?: Error) => void): void {
    const failed = this.#failed
    if (failed !== undefined) {
      queueMicrotask(() => done(failed))
      return
    }
    this.#waiting.push(done)
    this.#line.say(is, rest)
  }

  #hear(is: number, rest: Buffer): void {
    if (is === FRAME.done) this.#waiting.shift()?.(rest.length === 0 ? undefined : relayed(rest))
    else if (is === FRAME.error) this.#listeners?.onError(relayed(rest))
    const message = is === FRAME.message ? readAddress(rest) : undefined
    if (message !== undefined) this.#listeners?.onMessage(message.rest, message.at)
  }

  #fail(error: Error): void {
    this.#failed = error
    for (const done of this.#waiting.splice(0)) done(error)
    this.#listeners?.onError(error)
  }
}

class RelayedConnection extends Duplex {
  readonly #line: Line

  constructor(line: Line) {
    super({ allowHalfOpen: false })
    this.#line = line
    line.listen({ hear: (is, rest) => this.#hear(is, rest), lose: (error) => this.destroy(error) })
  }

  override _read(): void {
    // What comes is one DNS message: nothing is held back.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    for (let from = 0; from < chunk.length; from += PAYLOAD_BYTES_MAX)
      this.#line.say(FRAME.send, chunk.subarray(from, from + PAYLOAD_BYTES_MAX))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line.say(FRAME.close)
    this.#line.end()
    done(error)
  }

  #hear(is: number, rest: Buffer): void {
    if (is === FRAME.done) this.emit('connect')
    else if (is === FRAME.data) this.push(rest)
    else if (is === FRAME.error) this.destroy(relayed(rest))
    else if (is === FRAME.closed) this.push(null)
  }
}
