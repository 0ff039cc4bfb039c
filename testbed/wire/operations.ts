import type { RunResult } from '../machine/run.ts'

/** What the owner of a rack may ask of it: the argument and the answer of each request. */
export interface Operations {
  /** Resolves when the bed is up as planned. */
  readonly up: { readonly argument: Record<string, never>; readonly answer: null }
  readonly waitReady: { readonly argument: { readonly limitMs: number }; readonly answer: null }
  readonly powerOn: { readonly argument: NodeArgument; readonly answer: null }
  readonly powerOff: { readonly argument: NodeArgument; readonly answer: null }
  readonly reboot: { readonly argument: NodeArgument & { readonly hard: boolean }; readonly answer: null }
  readonly setDarkMs: { readonly argument: NodeArgument & { readonly darkMs: number }; readonly answer: null }
  readonly setPlugged: { readonly argument: NodeArgument & { readonly plugged: boolean }; readonly answer: null }
  readonly bootId: { readonly argument: NodeArgument; readonly answer: string }
  readonly exec: { readonly argument: ExecArgument; readonly answer: RunResult }
  readonly api: { readonly argument: { readonly action: 'start' | 'stop' | 'kill' }; readonly answer: null }
  /** Opens a way to an address inside; answers with the path of a unix socket. */
  readonly passage: { readonly argument: { readonly host: string; readonly port: number }; readonly answer: string }
  readonly haproxy: { readonly argument: HaproxyArgument; readonly answer: HaproxyAnswer }
}

interface NodeArgument {
  readonly node: string
}

interface ExecArgument extends NodeArgument {
  readonly argv: readonly string[]
  readonly stdin?: string
}

export interface HaproxyArgument {
  readonly name: string
  readonly action: 'start' | 'reload' | 'kill' | { readonly signal: NodeJS.Signals }
  readonly config?: string
}

export interface HaproxyAnswer {
  readonly socket: string
  /** Process id of the master, as seen within the bed. */
  readonly pid: number
}

export type OperationName = keyof Operations

/** One request, as one line of JSON. */
export type Request = {
  readonly [K in OperationName]: { id: number; name: K; argument: Operations[K]['argument'] }
}[OperationName]

/** One answer, as one line of JSON; answers come as they are ready, in any order. */
export type Answer = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string }

export type Handlers = {
  readonly [K in OperationName]: (argument: Operations[K]['argument']) => Promise<Operations[K]['answer']>
}

/** Asks a rack and waits for its answer. */
export type Ask = <K extends OperationName>(
  name: K,
  argument: Operations[K]['argument'],
) => Promise<Operations[K]['answer']>
