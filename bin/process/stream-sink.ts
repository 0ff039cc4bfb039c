import type { Writable } from 'node:stream'
import type { TerminalSize, TextSink } from '../../src/ground/text/terminal/text-sink.ts'

type Stream = Writable & { readonly columns?: number; readonly rows?: number }

const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 }

/**
 * A stream as a sink. If its reader goes away (`| head`), only this output ends: a roll goes on, writes its journal and keeps
 * its true exit code. Any other failed write is treated alike; the writer may read the failure.
 */
export function streamSink(stream: Stream, onBroken: () => void = () => undefined): TextSink {
  let failure: string | undefined
  stream.on('error', ({ message }) => {
    failure = message
    onBroken()
  })
  return {
    get failure() {
      return failure
    },
    write: (text) => {
      if (failure === undefined && text !== '') stream.write(text)
    },
    size: () => ({ columns: stream.columns ?? DEFAULT_SIZE.columns, rows: stream.rows ?? DEFAULT_SIZE.rows }),
    flushed: () =>
      new Promise((resolve) => {
        if (failure === undefined) stream.write('', () => resolve())
        else resolve()
      }),
  }
}
