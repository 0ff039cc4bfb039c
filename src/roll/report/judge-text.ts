import type { ReportDocument } from './report-document.ts'

/** Two probes measure a demo, and both figures are correct. */
export function judgeText({ judgedPerSecond, ratePerSecond }: ReportDocument): string {
  const judge = judgedPerSecond === null ? '' : `, which sends ${judgedPerSecond} requests a second`
  return `These are the figures that the demo prints. They come from its own prober${judge}, from one second before a plan to two seconds after it. The figures above come from the probe in the roll file, which sends ${ratePerSecond} requests a second and counts them after its baseline. That is why the numbers of requests differ.`
}
