import { request } from 'node:https'
import { text } from 'node:stream/consumers'

interface Asked {
  readonly port: number
  /** What is trusted, in PEM; nothing else is. */
  readonly bundle: string
  readonly body: string
  readonly method?: string
}

interface Reply {
  readonly status: number
  readonly body: string
  /** Serial number of the certificate that was shown. */
  readonly serial: string
}

/** As an API server asks a webhook, over a connection of its own. Rejects with the fault of the connection. */
export const askWebhook = ({ port, bundle, body, method = 'POST' }: Asked): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: '/review', ca: bundle, agent: false })
    let serial = ''
    sent.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        serial =
          (socket as { getPeerCertificate?: () => { serialNumber: string } }).getPeerCertificate?.().serialNumber ?? ''
      }),
    )
    sent.on('error', reject)
    sent.on('response', (reply) => {
      text(reply).then((read) => resolve({ status: reply.statusCode ?? 0, body: read, serial }), reject)
    })
    sent.end(body)
  })
