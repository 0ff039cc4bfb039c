import type { ApiRequest } from '../../../src/sim/world/api-request.ts'

/** What a process of a roll has the world do, told at the very moment when the world does it. */
export type EngineRequest =
  | { readonly kind: 'api'; readonly request: ApiRequest }
  | { readonly kind: 'balancer'; readonly instance: string; readonly line: string }
  | { readonly kind: 'reboot'; readonly node: string }

/** Told right before; the returned function right after, with the API's status where it was the API that was asked. */
export type RequestWitness = (request: EngineRequest) => ((code: number) => void) | undefined

export const isCordon = (request: EngineRequest): boolean =>
  request.kind === 'api' &&
  request.request.method === 'PATCH' &&
  Array.isArray(request.request.body) &&
  request.request.body.some(
    ({ path, value }: { path: string; value?: unknown }) => path === '/spec/unschedulable' && value === true,
  )
