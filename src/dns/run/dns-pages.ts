import type { PageOf } from '../../ground/ports/http-door.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../ground/text/prometheus-text.ts'
import { type DnsStatus, dnsMetrics } from './dns-metrics.ts'

/** For Prometheus. */
export const dnsPages =
  (status: () => DnsStatus): PageOf =>
  ({ target }) =>
    target.split('?', 1)[0] === '/metrics'
      ? { status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: dnsMetrics(status()) }
      : { status: 404, contentType: 'text/plain; charset=utf-8', body: 'there is no such page; see /metrics\n' }
