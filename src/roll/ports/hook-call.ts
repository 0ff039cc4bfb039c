export interface HookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** POST where absent. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
}

export interface HookAnswer {
  readonly status: number
  /** As Retry-After asks. */
  readonly retryAfterMs?: number
  /** At most 64 KiB of it. */
  readonly body: string
}

export interface HookCall {
  /**
   * One POST, or what the request names, its answer read to the end; a redirect is not followed. Rejects with WorldError (code HOOK_FAILED), whose text names
   * neither the URL nor a header, since both may be secrets, or with the signal's reason.
   */
  post(request: HookRequest, signal: AbortSignal): Promise<HookAnswer>
}
