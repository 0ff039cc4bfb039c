import type { ReasonEntry } from './reason-entry.ts'

/** What the certificate of the webhook waits for, and what was done about it. */
export const WEBHOOK_WORDS = {
  WebhookServed: {
    is: 'the certificate of the webhook is good until 2026-05-30T12:00:00Z',
    cause: 'All is well.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  WebhookNotConfigured: {
    is: 'there is no ValidatingWebhookConfiguration evenkeel-ingress',
    cause:
      'The webhook is enabled (`--webhook-port`), but the API server has no configuration for it, so it does not call it.',
    cure: 'Install the configuration, as `ingress.webhook.enabled` of the chart does, or remove `--webhook-port`.',
    wait: 'none',
  },
  WebhookCertificateReplaced: {
    is: 'the certificate of the webhook has expired, and a new one is made',
    cause:
      'It expired, was changed by hand, or is for another name. No API server could call the webhook, so objects were stored without its check.',
    cure: 'Nothing to do: the controller checks such objects itself. If this repeats, look for what else writes the Secret.',
    wait: 'none',
  },
  WebhookCertificateDue: {
    is: 'the certificate of the webhook is being renewed, and the next step is stage',
    cause: 'The certificate is renewed in steps, so that no API server gets a certificate that it does not trust yet.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
