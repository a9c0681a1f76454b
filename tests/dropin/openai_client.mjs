// OpenAI's own client for Node.js, as anybody uses it. Arguments: base URL, key, request as JSON on standard input.
import OpenAI from "openai";
import { text } from "node:stream/consumers";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const request = JSON.parse(await text(process.stdin));

const whole = await client.chat.completions.create(request);
const { data: raw, response } = await client.chat.completions.create(request).withResponse();
const streamed = [];
const stream = await client.chat.completions.create({
  ...request,
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of stream) streamed.push(chunk);
const helper = client.chat.completions.stream(request);
const collected = await helper.finalContent();
let refused;
try {
  await client.chat.completions.create({ ...request, response_format: undefined });
} catch (error) {
  refused = { name: error.constructor.name, status: error.status, code: error.code, requestID: error.requestID };
}
const result = { whole, raw, requestId: response.headers.get("x-request-id"), streamed, collected, refused };
process.stdout.write(JSON.stringify(result));
