"""The bytes of the wire, written out: a change here is a change every client sees."""

from __future__ import annotations

from service.protocol.additional_values import AdditionalTree, AdditionalValue, WirePoint, additional_values_call
from service.protocol.chunk import completion_chunks
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, Message
from service.protocol.emission import WirePath, emit, emit_chunk, leaf_keys
from service.protocol.json_text import encode_json
from service.protocol.request import ExtractionOptions
from service.protocol.sse import encode_done, encode_event

OPTIONS = ExtractionOptions(location=True, confidence=True, location_granularity="all")
BOX = [WirePoint(x=0.07, y=0.148), WirePoint(x=0.5, y=0.148), WirePoint(x=0.5, y=0.16), WirePoint(x=0.07, y=0.16)]
TREE: AdditionalTree = {
    "buyer": AdditionalValue(
        value="Café 東", confidence="high", page=1, coordinates=BOX, word_coordinates=[BOX], raw="x"
    ),
    "rows": [{"n": AdditionalValue(value=0, confidence="low")}],
}
CORNERS = (
    '[{\\"x\\":0.07,\\"y\\":0.148},{\\"x\\":0.5,\\"y\\":0.148},{\\"x\\":0.5,\\"y\\":0.16},{\\"x\\":0.07,\\"y\\":0.16}]'
)
ARGUMENTS = (
    '"{\\"buyer\\":{\\"_value\\":\\"Café 東\\",\\"confidence\\":\\"high\\",\\"page\\":1,'
    f'\\"coordinates\\":{CORNERS},\\"word_coordinates\\":[{CORNERS}]}},'
    '\\"rows\\":[{\\"n\\":{\\"_value\\":0,\\"confidence\\":\\"low\\",\\"page\\":-1,'
    '\\"coordinates\\":[],\\"word_coordinates\\":[]}}]}"'
)


def answer(path: WirePath) -> ChatCompletion:
    """A completion with everything that was asked for."""
    keys = leaf_keys(path, OPTIONS)
    assert keys is not None
    message = Message(
        content='{"buyer":"Café 東","rows":[{"n":0}]}',
        tool_calls=[additional_values_call(TREE, call_id=None, keys=keys)],
    )
    return ChatCompletion(
        id="iex-0123456789abcdef",
        created=1750000000,
        model="embedded-261201",
        choices=[Choice(message=message, finish_reason="stop", page_ranges=[(1, 2)])],
        usage=CompletionUsage(prompt_tokens=951, completion_tokens=9, total_tokens=960),
    )


def test_bytes_of_the_bare_path():
    """The vendor's documented nulls."""
    assert encode_json(emit(answer(WirePath.BARE), WirePath.BARE)).decode() == (
        '{"id":"iex-0123456789abcdef","choices":[{"finish_reason":"stop","index":null,"logprobs":null,'
        '"message":{"content":"{\\"buyer\\":\\"Café 東\\",\\"rows\\":[{\\"n\\":0}]}","role":"assistant",'
        '"function_call":null,"tool_calls":[{"type":"function","function":{"name":"additional_values",'
        f'"arguments":{ARGUMENTS}}}}}]}},"page_ranges":[[1,2]]}}],"created":1750000000,"model":"embedded-261201",'
        '"object":null,"system_fingerprint":null,"usage":{"completion_tokens":9,"prompt_tokens":951,"total_tokens":960,'
        '"completion_tokens_details":null,"prompt_tokens_details":null}}'
    )


def test_bytes_of_the_chat_path():
    """The keys that OpenAI requires."""
    assert encode_json(emit(answer(WirePath.CHAT), WirePath.CHAT)).decode() == (
        '{"id":"iex-0123456789abcdef","choices":[{"finish_reason":"stop","index":0,"logprobs":null,'
        '"message":{"content":"{\\"buyer\\":\\"Café 東\\",\\"rows\\":[{\\"n\\":0}]}","refusal":null,"role":"assistant",'
        '"tool_calls":[{"id":"call_0123456789abcdef_0_0","type":"function","function":{"name":"additional_values",'
        f'"arguments":{ARGUMENTS}}}}}]}},"page_ranges":[[1,2]]}}],"created":1750000000,"model":"embedded-261201",'
        '"object":"chat.completion","usage":{"completion_tokens":9,"prompt_tokens":951,"total_tokens":960}}'
    )


def test_bytes_of_a_stream():
    """With usage, to the last empty line."""
    small = ChatCompletion(
        id="iex-A",
        created=1,
        model="m",
        choices=[
            Choice(
                message=Message.model_validate(
                    {
                        "content": '{"a":1}',
                        "tool_calls": [{"id": "call_A", "function": {"name": "additional_values", "arguments": "{}"}}],
                    }
                ),
                finish_reason="stop",
            )
        ],
        usage=CompletionUsage(prompt_tokens=1, completion_tokens=1, total_tokens=2),
    )
    head, tail = 'data: {"id":"iex-A","choices":[', '"created":1,"model":"m","object":"chat.completion.chunk","usage":'
    fragment = '{"finish_reason":null,"index":0,"logprobs":null,"delta":'
    expected = (
        f'{head}{fragment}{{"role":"assistant","content":""}}}}],{tail}null}}\n\n'
        f'{head}{fragment}{{"content":"{{\\"a\\":1}}"}}}}],{tail}null}}\n\n'
        f'{head}{fragment}{{"tool_calls":[{{"index":0,"id":"call_A","type":"function",'
        f'"function":{{"name":"additional_values","arguments":"{{}}"}}}}]}}}}],{tail}null}}\n\n'
        f'{head}{{"finish_reason":"stop","index":0,"logprobs":null,"delta":{{}}}}],{tail}null}}\n\n'
        f'{head}],{tail}{{"completion_tokens":1,"prompt_tokens":1,"total_tokens":2}}}}\n\n'
        "data: [DONE]\n\n"
    )
    events = b"".join(encode_event(emit_chunk(chunk)) for chunk in completion_chunks(small, include_usage=True))
    assert (events + encode_done()).decode() == expected
