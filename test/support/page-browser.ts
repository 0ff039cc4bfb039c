import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { findCommand } from '../../testbed/machine/find-command.ts'

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--hide-scrollbars',
  // Root has no sandbox of Chromium's own; the pages are ours.
  '--no-sandbox',
]

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

interface PageLook {
  readonly width: number
  readonly height: number
  readonly dark?: boolean
  readonly print?: boolean
  readonly forcedColors?: boolean
  readonly script?: boolean
}

/** A headless Chromium, spoken to over a pipe (Chrome DevTools Protocol); one page at a time. */
export class PageBrowser {
  readonly #process: ChildProcess
  readonly #in: Writable
  readonly #profile: string
  readonly #waiting = new Map<number, (message: Message) => void>()
  readonly #events: Message[] = []
  #wake: () => void = () => undefined
  #next = 1
  #session = ''

  private constructor(child: ChildProcess, profile: string) {
    this.#process = child
    this.#profile = profile
    this.#in = child.stdio[3] as Writable
    let rest = ''
    ;(child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\0')
      rest = parts.pop() ?? ''
      for (const part of parts) this.#heard(JSON.parse(part) as Message)
    })
  }

  static async start(): Promise<PageBrowser> {
    const command = CHROMIUM_NAMES.map(findCommand).find((path) => path !== undefined)
    if (command === undefined) throw new Error('Chromium is not installed')
    const profile = await mkdtemp(join(tmpdir(), 'evenkeel-page-'))
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const
    const child = spawn(command, [...FLAGS, `--user-data-dir=${profile}`], { stdio: [...stdio] })
    const browser = new PageBrowser(child, profile)
    const { targetId } = await browser.#send('Target.createTarget', { url: 'about:blank' }, '')
    const { sessionId } = await browser.#send('Target.attachToTarget', { targetId, flatten: true }, '')
    browser.#session = String(sessionId)
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`)
    return browser
  }

  /** Shows a page and waits until it has loaded. What it says and asks for from then on is in `said` and `asked`. */
  async show(url: string, look: PageLook): Promise<void> {
    const { width, height, dark = false, print = false, forcedColors = false, script = true } = look
    const metrics = { width, height, deviceScaleFactor: 1, mobile: width < 500 }
    await this.send('Emulation.setDeviceMetricsOverride', metrics)
    await this.send('Emulation.setScriptExecutionDisabled', { value: !script })
    const features = [
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'forced-colors', value: forcedColors ? 'active' : 'none' },
    ]
    await this.send('Emulation.setEmulatedMedia', { media: print ? 'print' : '', features })
    this.#events.length = 0
    const { errorText } = await this.send('Page.navigate', { url })
    if (errorText !== undefined) throw new Error(`${url}: ${String(errorText)}`)
    while (!this.#events.some(({ method }) => method === 'Page.loadEventFired')) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Errors of script and policy. */
  get said(): readonly string[] {
    return this.#events
      .filter(({ method }) => method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded')
      .map(({ params }) => JSON.stringify(params))
  }

  get asked(): readonly string[] {
    return this.#events.flatMap(({ method, params = {} }) =>
      method === 'Network.requestWillBeSent' ? [(params.request as { readonly url: string }).url] : [],
    )
  }

  /** The value of an expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const asked = { expression, returnByValue: true, awaitPromise: true }
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', asked)
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { readonly value: T }).value
  }

  async press(key: string, modifiers = 0): Promise<void> {
    const text = key.length === 1 ? { text: key } : {}
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, modifiers, ...text })
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers })
  }

  async screenshot(whole: boolean): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: whole })
    return Buffer.from(String(data), 'base64')
  }

  send(method: string, params: Readonly<Record<string, unknown>> = {}) {
    return this.#send(method, params, this.#session)
  }

  async close(): Promise<void> {
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await gone
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  #send(method: string, params: Readonly<Record<string, unknown>>, sessionId: string) {
    const id = this.#next++
    const answer = new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      this.#waiting.set(id, ({ result = {}, error }) => {
        if (error === undefined) resolve(result)
        else reject(new Error(`${method}: ${error.message}`))
      })
    })
    this.#in.write(`${JSON.stringify({ id, method, params, ...(sessionId === '' ? {} : { sessionId }) })}\0`)
    return answer
  }

  #heard(message: Message): void {
    if (message.id === undefined) {
      this.#events.push(message)
      this.#wake()
      return
    }
    this.#waiting.get(message.id)?.(message)
    this.#waiting.delete(message.id)
  }
}
