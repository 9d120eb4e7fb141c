"""Objects of two groups, and of two versions of one kind, by one distribution."""

from kubernetes import config

import dairy
from dairy import Client, errors
from dairy.crops import v1, v1beta1
from dairy.sea.v1 import Trawler, TrawlerSpec

config.load_kube_config()

old = Client(v1beta1.Field, "default").create(v1beta1.Field(metadata={"name": "north"}))
new = Client(v1.Field, "default").get("north")
assert dairy.Field is v1.Field and type(new) is v1.Field and type(old) is v1beta1.Field
assert new.metadata.uid == old.metadata.uid and (new.spec or v1.FieldSpec()).size == 3
new.spec = v1.FieldSpec(size=5, owner="me", resources={"limits": {"cpu": "1"}})
new = Client(v1.Field, "default").replace(new)
old = Client(v1beta1.Field, "default").get("north")
assert type(old.spec) is v1beta1.FieldSpec and old.spec.size == 5
assert [type(one) for one in Client(v1beta1.Field, "default").list()] == [v1beta1.Field]

Client(Trawler, "default").create(Trawler(metadata={"name": "north"}, spec=TrawlerSpec(size=7)))
assert Client(dairy.Trawler, "default").get("north").spec.size == 7
Client(dairy.Trawler, "default").delete("north")
try:
    v1beta1.FieldSpec(owner="me")
except TypeError as error:
    print(error)
try:
    Client(Trawler, "default").get("south")
except errors.NotFound as error:
    print(error.reason)
