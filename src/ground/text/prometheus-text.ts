/** Prometheus' text format 0.0.4. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricSample {
  /** An undefined label is left out. */
  readonly labels?: Readonly<Record<string, string | undefined>>
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
}

/** A repeated series would make the whole page unreadable for Prometheus. */
export function familyLines({ name, help, type }: MetricFamily, samples: readonly MetricSample[]): readonly string[] {
  const series = new Map(samples.map(({ labels = {}, value }) => [`${name}${labelText(labels)}`, value]))
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...[...series].map(([key, value]) => `${key} ${value}`)]
}

function labelText(labels: NonNullable<MetricSample['labels']>): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escapedLabel(value)}"`],
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapedLabel = (value: string): string =>
  value.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
